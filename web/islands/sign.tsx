/** /sign: the reader's wallet signs the one trade that a link names. */
import "../report/plain.ts";
import { render } from "preact";
import { island } from "../island.ts";
import { openTrade, type Place } from "../sign/openTrade.tsx";

island<{ place: Place }>("sign", (root, { place }) => {
  let end = () => {};
  // Another link to the page changes the fragment alone.
  const draw = () => {
    end();
    end = () => {};
    render(null, root);
    if (location.hash.startsWith("#trade=")) end = openTrade(root, location.hash, place, Date.now);
  };
  draw();
  addEventListener("hashchange", draw);
  return () => {
    removeEventListener("hashchange", draw);
    end();
    render(null, root);
  };
});
