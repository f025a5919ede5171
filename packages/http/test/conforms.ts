import { breachesOf, framesIn, runReader, uiReader } from "@troupe-internal/stream-grammars";
import type { FrameReader } from "@troupe-internal/stream-grammars";
import type { OpenApiOperation, OpenApiResponse, OpenApiSpec, OpenApiSchema } from "../src/openapi/open-api-spec.ts";
import { schemaRef } from "../src/openapi/open-api-spec.ts";
import { compileSchemas } from "./compile-schemas.ts";
import type { CompiledSchemas } from "./compile-schemas.ts";

/** An answer with the request that it belongs to. */
export type Seen = {
  method: string;
  /** The path pattern, with or without the mount path. Undefined if no route took the request. */
  route: string | undefined;
  /** The registered name of the subject, if it was found. */
  name: string | undefined;
  status: number;
  headers: Readonly<Record<string, unknown>>;
  body: string;
  /** True if the answer is complete. */
  isWhole: boolean;
  /** The id of the last event that the client has of a run. */
  behind?: string | undefined;
};

type Check = (seen: Seen) => string[];

/** Returns a check that lists how an answer differs from the description. */
export function conformsTo(spec: OpenApiSpec): Check {
  const schemas = compileSchemas(spec);
  return (seen) => {
    const response = findResponse(spec, seen);
    if (typeof response === "string") return [response];
    return response === undefined ? [] : problemsOf(seen, { response, spec, schemas });
  };
}

/** Returns the described response of an answer, undefined if the answer is the host's, or a problem. */
function findResponse(spec: OpenApiSpec, seen: Seen): OpenApiResponse | string | undefined {
  const { method, route, status, body } = seen;
  const { responses } = spec.components;
  // An answer without a route is the host's, unless it has the router's error body.
  if (route === undefined) return body.startsWith('{"error":{"code":') ? responses["OtherError"] : undefined;
  if (method === "OPTIONS" && status === 204) return { description: "", headers: { Allow: { $ref: "#/x/Allow" } } };
  if (status === 405) return responses["MethodNotAllowed"];
  const path = pathOf(spec, seen);
  if (path !== undefined) return findDescribed(spec, path, seen);
  return status < 400 ? undefined : responses["NotFound"];
}

function findDescribed(
  spec: OpenApiSpec,
  path: string,
  { method, status }: Seen,
): OpenApiResponse | string | undefined {
  const operations: Record<string, OpenApiOperation | undefined> = { ...spec.paths[path] };
  const found = operations[method === "HEAD" ? "get" : method.toLowerCase()]?.responses[String(status)];
  if (found === undefined) return `${method} ${path} answered ${status}, which is not described.`;
  return "$ref" in found ? spec.components.responses[found.$ref.split("/").at(-1) ?? ""] : found;
}

/** Only the docs and unregistered names have paths that are not described. */
function pathOf({ paths }: OpenApiSpec, { route = "", name = "" }: Seen): string | undefined {
  const written = route.replace(":name", encodeURIComponent(name)).replaceAll(/:(\w+)/g, "{$1}");
  return Object.keys(paths)
    .toSorted((one, other) => other.length - one.length)
    .find((path) => written.endsWith(path));
}

type Described = { response: OpenApiResponse; spec: OpenApiSpec; schemas: CompiledSchemas };

function problemsOf(seen: Seen, { response, spec, schemas }: Described): string[] {
  const { method, status, body } = seen;
  const where = `${method} ${seen.route ?? "?"} ${status}:`;
  const headers = [...headerProblems(seen, response, spec), ...storeProblems(seen)];
  const [[type, { schema }] = ["", { schema: {} }]] = Object.entries(response.content ?? {});
  const mustBeEmpty = type === "" || method === "HEAD";
  if (mustBeEmpty) return [...headers, ...(body === "" ? [] : ["has a body"])].map((problem) => `${where} ${problem}`);
  const sent = /^[^;]*/.exec(seen.headers["content-type"] as string)?.[0] ?? "";
  return [...headers, ...(sent === type ? contentProblems(seen, schema, schemas) : typeProblems(sent, type))].map(
    (problem) => `${where} ${problem}`,
  );
}

/** An answer to a GET is about one user, so that no cache may keep it, also if it is empty. */
function storeProblems({ method, headers }: Seen): string[] {
  if (!["GET", "HEAD"].includes(method) || /\bno-store\b/.test(String(headers["cache-control"]))) return [];
  return ["may be stored by a cache"];
}

/** Bytes of any type are described as such. */
function typeProblems(sent: string, type: string): string[] {
  return type === "*/*" ? [] : [`is ${sent}, and not ${type}`];
}

function headerProblems({ headers }: Seen, { headers: described = {} }: OpenApiResponse, spec: OpenApiSpec): string[] {
  return Object.entries(described)
    .filter(([name, { $ref }]) => {
      const header: { required?: boolean } = spec.components.headers[$ref.split("/").at(-1) ?? ""] ?? {};
      return header.required === true && headers[name.toLowerCase()] === undefined;
    })
    .map(([name]) => `lacks ${name}`);
}

/** An incomplete stream belongs to a client that has disconnected. */
function contentProblems(seen: Seen, schema: OpenApiSchema, schemas: CompiledSchemas): string[] {
  const event = schema["x-event-data"] as OpenApiSchema | undefined;
  if (event === undefined) return seen.isWhole ? schemas.problemsOf(schema, JSON.parse(seen.body)) : [];
  const reader = event["$ref"] === schemaRef("UiMessageChunk").$ref ? uiReader() : runReader(seen.behind);
  return streamProblems(seen, reader, (data) => schemas.problemsOf(event, data));
}

/** Lists what is wrong with the frames of a stream by its grammar, and with the data of each by its schema. */
function streamProblems(
  { body, isWhole }: Seen,
  reader: FrameReader,
  problemsIn: (data: unknown) => string[],
): string[] {
  const frames = framesIn(body);
  const data = frames.flatMap((frame) => (frame.data === "[DONE]" ? [] : [JSON.parse(frame.data) as unknown]));
  return [...breachesOf(reader, frames, isWhole), ...data.flatMap(problemsIn)];
}
