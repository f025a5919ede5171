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
  const headers = headerProblems(seen, response, spec);
  const [[type, { schema }] = ["", { schema: {} }]] = Object.entries(response.content ?? {});
  const mustBeEmpty = type === "" || method === "HEAD";
  if (mustBeEmpty) return [...headers, ...(body === "" ? [] : ["has a body"])].map((problem) => `${where} ${problem}`);
  const sent = /^[^;]*/.exec(seen.headers["content-type"] as string)?.[0] ?? "";
  return [...headers, ...(sent === type ? contentProblems(seen, schema, schemas) : typeProblems(sent, type))].map(
    (problem) => `${where} ${problem}`,
  );
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

function contentProblems({ body, isWhole }: Seen, schema: OpenApiSchema, schemas: CompiledSchemas): string[] {
  const event = schema["x-event-data"] as OpenApiSchema | undefined;
  if (event?.["$ref"] === schemaRef("UiMessageChunk").$ref) return chunkProblems({ body, isWhole }, event, schemas);
  if (event !== undefined) return eventProblems({ body, isWhole }, event, schemas);
  return isWhole ? schemas.problemsOf(schema, JSON.parse(body)) : [];
}

/** The chunks of a UI message stream have no ids, and a whole one ends with a line that is no JSON. */
function chunkProblems(
  { body, isWhole }: Pick<Seen, "body" | "isWhole">,
  schema: OpenApiSchema,
  schemas: CompiledSchemas,
): string[] {
  const blocks = body.split("\n\n").slice(0, -1);
  const chunks = blocks.filter((block) => block !== ": heartbeat");
  const last = chunks.at(-1) === "data: [DONE]" ? chunks.pop() : undefined;
  const events = chunks.map(readEvent);
  return [
    ...(isWhole && last === undefined ? ["has no [DONE] at its end"] : []),
    ...(events.some(({ id }) => id !== undefined) ? ["has ids"] : []),
    ...events.flatMap(({ data }) => schemas.problemsOf(schema, data)),
  ];
}

const ends = ["finish", "error"];

/** An incomplete stream belongs to a client that has disconnected. */
function eventProblems(
  { body, isWhole }: Pick<Seen, "body" | "isWhole">,
  schema: OpenApiSchema,
  schemas: CompiledSchemas,
): string[] {
  const blocks = body.split("\n\n").slice(0, -1);
  const events = blocks.filter((block) => block !== ": heartbeat").map(readEvent);
  const types = events.map(({ data }) => (data as { type?: string } | undefined)?.type ?? "none");
  const early = types.slice(0, -1).some((type) => ends.includes(type));
  // A client may have seen the end of a kept run before.
  const endless = isWhole && types.length > 0 && !ends.includes(types.at(-1) ?? "");
  return [
    ...(hasRightIds(events.map(({ id }) => id)) ? [] : ["has ids that do not count up"]),
    ...(early || endless ? [`has its end elsewhere than at its end: ${types.join(" ")}`] : []),
    ...events.flatMap(({ data }) => schemas.problemsOf(schema, data)),
  ];
}

/** Those of a plain run count from 1. Those of a kept run rise, and an error that is none of the run's has none. */
function hasRightIds(ids: readonly (string | undefined)[]): boolean {
  if (ids.every((id, index) => id === String(index + 1))) return true;
  const places = (ids.at(-1) === undefined ? ids.slice(0, -1) : ids).map((id = "") => id.split(".").map(Number));
  return places.every(([number = Number.NaN, index = Number.NaN], at) => {
    const [lastNumber = 0, lastIndex = -1] = places[at - 1] ?? [];
    return number > lastNumber || (number === lastNumber && index > lastIndex);
  });
}

function readEvent(block: string): { id: string | undefined; data: unknown } {
  const [, id, data = "null"] = /^(?:id: ([\d.]+)\n)?data: (.*)$/.exec(block) ?? [];
  return { id, data: JSON.parse(data) };
}
