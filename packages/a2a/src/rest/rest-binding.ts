import type { Exchange } from "@troupe/core/transport";
import type { Binding, ReadCall } from "../server/a2a-endpoint.ts";
import { queryOf, readBody, versionOf } from "../server/read-request.ts";
import { wrongParam } from "../wire/a2a-error.ts";
import { dialect1 } from "../wire/dialect-1.ts";
import { checkParams, parseBody } from "../wire/json-rpc.ts";
import { readOperation, readVersion, versionNotSupported } from "../wire/parse-call.ts";
import type { Answered } from "../wire/stream-frames.ts";
import { restStatusOf, writeRestError } from "./rest-error.ts";
import { findRoute, pathBelow } from "./rest-routes.ts";

const a2aType = "application/a2a+json";

/** The HTTP+JSON binding of A2A 1.0. Path and method name the operation; the bodies of answers are bare results. */
export class RestBinding implements Binding {
  readonly #root: string;

  /** `root` is the path pattern below which the binding answers. */
  constructor(root: string) {
    this.#root = root;
  }

  /** Uses the media type of A2A only for clients that name it: other clients may accept only plain JSON. */
  formFor({ headers }: Exchange): Answered {
    const isNamed = [headers.accept, headers["content-type"]].some((types) => types?.toLowerCase().includes(a2aType));
    return {
      dialect: dialect1,
      mediaType: isNamed ? a2aType : "application/json",
      errorEvent: "error",
      writeResult: (result) => JSON.stringify(result),
      writeFailure: writeRestError,
      statusOf: (error) => restStatusOf(error)[0],
    };
  }

  async readCall(
    exchange: Exchange,
    { maxBodyBytes, hasPush }: { maxBodyBytes: number; hasPush: boolean },
  ): Promise<ReadCall> {
    checkVersion(versionOf(exchange));
    const { method, path } = exchange;
    const { operation, params, query } = findRoute(method, pathBelow(path, this.#root));
    const given = method === "POST" ? await readJson(exchange, maxBodyBytes) : readQuery(exchange, query);
    const call = readOperation(operation, { ...given, ...params }, { dialect: dialect1, hasPush });
    return { answered: this.formFor(exchange), call };
  }
}

/** Rejects a request that names another version than 1.0, because these paths exist only in 1.0. */
function checkVersion(named: string | undefined): void {
  if (named !== undefined && named.trim() !== "" && readVersion(named) !== "1.0") throw versionNotSupported("1.0");
}

/** Reads the parameters in the JSON body of a call. The body may be empty if the path has all parameters. */
async function readJson(exchange: Exchange, maxBytes: number): Promise<Readonly<Record<string, unknown>>> {
  if (!exchange.hasBody && exchange.parsedBody === undefined) return {};
  const body = await readBody(exchange, maxBytes);
  return body.length === 0 ? {} : checkParams(parseBody(body), "body");
}

/** Reads the parameters with these names from the query of a call. An empty parameter counts as absent. */
function readQuery(exchange: Exchange, names: readonly string[]): Readonly<Record<string, unknown>> {
  const query = queryOf(exchange);
  const params: Record<string, unknown> = {};
  for (const name of names) {
    const [value = "", ...more] = query.getAll(name);
    if (more.length > 0) throw wrongParam(`params.${name}`, "given once");
    if (value !== "") params[name] = name === "includeArtifacts" ? readFlag(value) : value;
  }
  return params;
}

function readFlag(text: string): boolean | string {
  return text === "true" || text === "false" ? text === "true" : text;
}
