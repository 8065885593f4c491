/** The reference page: a form for each operation. */
import { render } from "preact";
import { island } from "../island.ts";
import type { Operation } from "../try/request.ts";
import { TryIt } from "../try/TryIt.tsx";

island<Operation>("try", (root, operation) => {
  render(<TryIt {...operation} />, root);
  return () => render(null, root);
});
