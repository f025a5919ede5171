import type { Request } from "express";
import type { Binding, ReadCall } from "../server/a2a-endpoint.ts";
import { queryOf, readBody, versionOf } from "../server/read-request.ts";
import { wrongParam } from "../wire/a2a-error.ts";
import { dialect1 } from "../wire/dialect-1.ts";
import { checkParams, parseBody } from "../wire/json-rpc.ts";
import { readOperation, readVersion, versionNotSupported } from "../wire/parse-call.ts";
import type { Answered } from "../wire/stream-frames.ts";
import { restStatusOf, writeRestError } from "./rest-error.ts";
import { findRoute } from "./rest-routes.ts";
import type { RestPaths } from "./rest-routes.ts";

const a2aType = "application/a2a+json";

/** The HTTP+JSON binding of A2A 1.0: the path and the method name the operation, and answers are the results themselves. */
export class RestBinding implements Binding {
  readonly #paths: RestPaths;

  constructor(paths: RestPaths) {
    this.#paths = paths;
  }

  /** Answers in the media type of A2A only clients that name it: others may know plain JSON alone. */
  formFor({ headers }: Request): Answered {
    const isNamed = [headers.accept, headers["content-type"]].some((types) => types?.includes(a2aType));
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
    request: Request,
    { maxBodyBytes, hasPush }: { maxBodyBytes: number; hasPush: boolean },
  ): Promise<ReadCall> {
    checkVersion(versionOf(request));
    const { operation, params, query } = findRoute(request.method, this.#paths.read(request.path).path);
    const given = request.method === "POST" ? await readJson(request, maxBodyBytes) : readQuery(request, query);
    const call = readOperation(operation, { ...given, ...params }, { dialect: dialect1, hasPush });
    return { answered: this.formFor(request), call };
  }
}

/** Refuses a version that a client names, if it is another one: these paths are those of 1.0 alone. */
function checkVersion(named: string | undefined): void {
  if (named !== undefined && named.trim() !== "" && readVersion(named) !== "1.0") throw versionNotSupported("1.0");
}

/** Reads the parameters in a body. None are needed where the path says all. */
async function readJson(request: Request, maxBodyBytes: number): Promise<Readonly<Record<string, unknown>>> {
  const { headers } = request;
  const isSent = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  if (!isSent && (request as { body?: unknown }).body === undefined) return {};
  const body = await readBody(request, maxBodyBytes);
  return body.length === 0 ? {} : checkParams(parseBody(body), "body");
}

/** Reads the parameters of these names from a query. An empty one counts as absent. */
function readQuery(request: Request, names: readonly string[]): Readonly<Record<string, unknown>> {
  const query = queryOf(request);
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
