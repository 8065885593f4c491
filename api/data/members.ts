/** Members that answers of the data API have in common, as schemas. */
import { z } from "zod";

export const DateTime = z.string().meta({ format: "date-time" });
export const Attribution = z.string().describe("Constant: where the data come from and how to use them");
