/** The place of a chart, of the same height before and after script draws into it. */
import { useEffect, useRef } from "preact/hooks";
import type { ChartProps, drawPlot } from "./plot.ts";

interface PlaceProps extends ChartProps {
  /** null: on the server, where nothing is drawn. */
  readonly draw: typeof drawPlot | null;
}

export function Chart({ draw, ...props }: PlaceProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current !== null) return draw?.(place.current, props);
  }, []);
  const kind = props.second === undefined ? "plot" : "plot two";
  return <div ref={place} class={kind} role="img" aria-label={props.label} />;
}
