import type { Dialect, Route, VendorRequest } from "./dialect.ts";
import { allDialects } from "./dialects/all-dialects.ts";

/** A request, whose it is and what it asks for. */
export type Recognised = { dialect: Dialect; route: Route; request: VendorRequest };

/** Finds the dialect of a request. All that is asked of a vendor is posted. */
export function recognise(request: VendorRequest): Recognised | undefined {
  if (request.method !== "POST") return undefined;
  for (const dialect of allDialects) {
    const route = dialect.route(request);
    if (route !== undefined) return { dialect, route, request };
  }
  return undefined;
}
