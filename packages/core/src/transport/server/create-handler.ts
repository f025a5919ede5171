import { optional, satisfying } from "../../base/errors/option-checks.ts";
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
  /** The path below which the handler is reached, such as `/api`. @default the root */
  basePath?: string | undefined;
};

/**
 * Answers a web-standard request. What a platform passes beside it is used as far as it is known: a `waitUntil` keeps
 * the process for what outlives the answer, and `remoteAddress` is the client's address.
 */
type Answer = (request: Request, ...context: readonly unknown[]) => Promise<Response>;

/**
 * A handler of web-standard requests. It is a function for Hono and service workers, has `fetch` for Bun, Deno and
 * Workers, and a function for each HTTP method for the route modules of Next.js.
 */
export type WebHandler = Answer & { readonly [Name in "fetch" | "GET" | "POST" | "PATCH" | "DELETE"]: Answer };

const handlerOptions = {
  basePath: optional(
    satisfying<string>('a path such as "/api", without a slash at its end', (value) => {
      return typeof value === "string" && /^(?:\/[^/?#]+)*$/.test(value);
    }),
    "",
  ),
} satisfies OptionTable<HandlerOptions>;

/**
 * Makes the handler that answers for a service in these protocols on servers with web-standard requests: Next.js, Hono,
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

/** Makes the error for a path that nothing serves. */
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

/** Resolves once an exchange is over, with its run and the titles of its session. Never rejects. */
async function untilQuiet(exchange: Exchange, { sessions, logger }: Service): Promise<void> {
  if (!exchange.isClosed) await new Promise<void>((resolve) => void exchange.onClose(resolve));
  try {
    await exchange.record.runEnd;
    await sessions.flush();
  } catch (error) {
    logger.error("What outlived an answer has failed.", { error });
  }
}
