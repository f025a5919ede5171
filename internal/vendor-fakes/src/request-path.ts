import type { VendorRequest } from "./dialect.ts";

/** The path of a request, without its query. */
export function pathOf({ url }: VendorRequest): string {
  return url.split("?")[0] ?? "";
}

/** The key of a request that carries it as a bearer token. */
export function bearerKey({ headers }: VendorRequest): string | undefined {
  return /^Bearer (.*)$/i.exec(headers["authorization"] ?? "")?.[1];
}
