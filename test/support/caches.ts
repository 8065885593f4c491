/** Caches for a part of the service that a test opens by itself. */
import { type Caches, createCaches } from "../../chain/caches.ts";

export const ownCaches = (): Caches => createCaches(() => performance.now());
