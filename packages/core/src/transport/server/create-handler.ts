import { optional, customOption } from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { WebExchange } from "../exchange/web-exchange.ts";
import type { Protocol } from "../service/protocol.ts";
import type { Service } from "../service/service.ts";
import { ServedRoutes } from "../service/served-routes.ts";
import { openService } from "./create-router.ts";

/** Options of {@link createHandler}. */
export type HandlerOptions = {
  /** The path below which the handler is mounted, such as `/api`. @default the root */
  basePath?: string | undefined;
};

/**
 * Answers a web-standard request. Two values in the platform's further arguments are used: `waitUntil`, which keeps
 * the process alive for work that outlives the answer, and `remoteAddress`, the client's address.
 */
type Answer = (request: Request, ...context: readonly unknown[]) => Promise<Response>;

/**
 * A handler of web-standard requests. It is itself a function, for Hono and service workers. It has the method `fetch`,
 * for Bun, Deno and Workers, and a method for each HTTP method, for the route modules of Next.js.
 */
export type WebHandler = Answer & { readonly [Name in "fetch" | "GET" | "POST" | "PATCH" | "DELETE"]: Answer };

const handlerOptions = {
  basePath: optional(
    customOption<string>('a path such as "/api", without a slash at its end', (value) => {
      return typeof value === "string" && /^(?:\/[^/?#]+)*$/.test(value);
    }),
    "",
  ),
} satisfies OptionTable<HandlerOptions>;

/**
 * Makes the handler that serves a service over these protocols on servers with web-standard requests: Next.js, Hono,
 * Bun, Deno, Workers. An unknown path is answered as `not_found`. Throws `invalid_config` for a wrong option, and for
 * protocols that answer the same method and path.
 */
export function createHandler(
  service: Service,
  protocols: readonly Protocol[],
  options: HandlerOptions = {},
): WebHandler {
  const { basePath } = readOptions(handlerOptions, options, { owner: "createHandler" });
  const routes = new ServedRoutes(service, protocols);
  openService(service);
  const answer: Answer = async (request, ...context) => {
    const exchange = new WebExchange(request, service.logger, basePath);
    exchange.remoteAddress = addressIn(context);
    const admitted = routes.admit(exchange);
    if (admitted?.found !== undefined) routes.answer(exchange, admitted.found);
    else if (admitted !== undefined) exchange.fail(nothingFound());
    waitUntilIn(context)?.(untilQuiet(exchange, service));
    return await exchange.answer;
  };
  return Object.assign((request: Request, ...context: readonly unknown[]) => answer(request, ...context), {
    fetch: answer,
    GET: answer,
    POST: answer,
    PATCH: answer,
    DELETE: answer,
  });
}

/** Makes the error for a path that no route serves. */
export function nothingFound(): TroupeError {
  return new TroupeError("not_found", "Nothing was found at this path.");
}

function addressIn(context: readonly unknown[]): string | undefined {
  for (const each of context) {
    const { remoteAddress } = Object(each) as { remoteAddress?: unknown };
    if (typeof remoteAddress === "string") return remoteAddress;
  }
  return undefined;
}

function waitUntilIn(context: readonly unknown[]): ((work: Promise<unknown>) => void) | undefined {
  for (const each of context) {
    const platform = Object(each) as { waitUntil?: (work: Promise<unknown>) => void };
    if (typeof platform.waitUntil === "function") return (work) => platform.waitUntil?.(work);
  }
  return undefined;
}

/**
 * Resolves once a request is answered, the run that it began is over, and the session's title is generated. Never
 * rejects.
 */
async function untilQuiet(exchange: Exchange, { sessions, logger }: Service): Promise<void> {
  if (!exchange.isClosed) await new Promise<void>((resolve) => void exchange.onClose(resolve));
  try {
    await exchange.untilRunEnds();
    await sessions.flush();
  } catch (error) {
    logger.error("What outlived an answer has failed.", { error });
  }
}
