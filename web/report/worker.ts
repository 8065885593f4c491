/** The worker of the pages; its response forbids it all loading, so that a report in it can reach nobody. */
import { serve } from "./serve.ts";

serve(self);
