import type { IncomingMessage } from "node:http";

/** A callback of the package `cors`: receives an error, or the value that the host has chosen. */
type Choose = (error: unknown, chosen?: unknown) => void;

/**
 * Returns true if the `cors` option of a Socket.IO server allows the page of a request to read answers. Supports all
 * forms of the package `cors`: options, or a function that chooses them. Their origin may be `true`, `"*"`, a string, a
 * regular expression, an array of these, or a function. A request without an origin is allowed only if all origins are.
 */
export async function allowsOrigin(cors: unknown, request: IncomingMessage | null): Promise<boolean> {
  const origin = request?.headers.origin;
  const options = isFunction(cors) ? await chosenBy((choose) => cors(request, choose)) : cors;
  if (!isSet(options)) return false;
  if (typeof options === "string") return matches(origin, options);
  const { origin: allowed } = { origin: "*", ...(options as object) } as { readonly origin: unknown };
  return matches(origin, isFunction(allowed) ? await chosenBy((choose) => allowed(origin, choose)) : allowed);
}

function matches(origin: string | undefined, allowed: unknown): boolean {
  if (allowed === "*") return true;
  if (Array.isArray(allowed)) return allowed.some((each) => matches(origin, each));
  if (typeof allowed === "string") return origin === allowed;
  // `RegExp.test` is not used, because an expression with the flag g or y would start in the middle of the string.
  if (allowed instanceof RegExp) return origin !== undefined && origin.search(allowed) !== -1;
  return isSet(allowed);
}

/** Returns the value that a function in the host's `cors` option chooses. An error means that it refuses the origin. */
async function chosenBy(ask: (choose: Choose) => void): Promise<unknown> {
  return await new Promise((resolve) => ask((error, chosen) => resolve(isSet(error) ? undefined : chosen)));
}

function isFunction(value: unknown): value is (subject: unknown, choose: Choose) => void {
  return typeof value === "function";
}

function isSet(value: unknown): boolean {
  return Boolean(value);
}
