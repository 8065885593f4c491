/** A job, opened by its token or by the reader's key. Both travel in a header alone. */
import { render } from "preact";
import { island } from "../island.ts";
import { JobView } from "../search/JobView.tsx";

island<{ jobId: string }>("job", (root, { jobId }) => {
  render(<JobView jobId={jobId} />, root);
  return () => render(null, root);
});
