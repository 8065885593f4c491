import { routesOf } from "./http/route.ts";
import type { Service } from "./service.ts";

/** A route of the API. Its handler takes a request's input and the service. */
export const route = routesOf<Service>();

/** What stays the same while a service runs: made with the first request. */
export function once<T>(make: (service: Service) => T): (service: Service) => T {
  const made = new WeakMap<Service, { readonly value: T }>();
  return (service) => {
    const entry = made.get(service) ?? { value: make(service) };
    made.set(service, entry);
    return entry.value;
  };
}
