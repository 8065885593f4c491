/** What a call of the client failed with. */
import { ServiceError } from "../../client/client.ts";
import { failureOf as anyFailureOf } from "./failure.ts";

/** @throws what it failed with, where that is no ServiceError */
export const failureOf = (work: Promise<unknown>): Promise<ServiceError> => anyFailureOf(work, ServiceError);
