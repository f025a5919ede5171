import {
  anything,
  array,
  boolean,
  constant,
  constantFrom,
  dictionary,
  double,
  integer,
  jsonValue,
  oneof,
  record,
  string,
  stringMatching,
  webSegment,
} from "fast-check";
import type { Arbitrary } from "fast-check";
import type { OpenApiOperation, OpenApiSpec, Schema } from "../src/openapi/open-api-spec.ts";

/** A request that was made out of a description. */
export type Made = {
  /** The operation it is for: its method and path as they are described. */
  operation: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
};

/** What a description is asked for. */
export type Target = { name: string; method: string; path: string; operation: OpenApiOperation };

/** All operations of a description. */
export function targetsOf(spec: OpenApiSpec): Target[] {
  return Object.entries(spec.paths).flatMap(([path, item]) => {
    return Object.entries(item).map(([word, operation]) => {
      const method = word.toUpperCase();
      return { name: `${method} ${path}`, method, path, operation };
    });
  });
}

/** Requests that are as the description says. */
export function rightRequest(spec: OpenApiSpec, target: Target): Arbitrary<Made> {
  const { name, method, path, operation } = target;
  const content = operation.requestBody?.content["application/json"];
  const query = queryOf(spec, operation);
  return record({
    id: stringMatching(/^[\w.:@-]{1,20}$/),
    query,
    body: content === undefined ? constant(undefined) : valueOf(content.schema, spec),
    user: constantFrom(undefined, "ada", "bob"),
  }).map(({ id, query: asked, body, user }) => ({
    operation: name,
    method,
    path: path.replaceAll(/\{\w+\}/g, id) + asked,
    headers: {
      ...(user !== undefined && { "x-test-user": user }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }));
}

/** Requests in which something is not as the description says. */
export function wrongRequest(spec: OpenApiSpec, target: Target): Arbitrary<Made> {
  const breaks: ((made: Made, junk: string) => Partial<Made>)[] = [
    ({ path }, junk) => ({ path: `${path}${path.includes("?") ? "&" : "?"}${encodeURIComponent(junk)}=1` }),
    ({ path }) => ({ path: `${path}/%zz` }),
    ({ path }, junk) => ({ path: `${path}/${junk.replaceAll(/[^\w]/g, "")}` }),
    (_, junk) => ({ method: "PUT", body: junk }),
    (_, junk) => ({ method: "POST", body: junk }),
    ({ headers }, junk) => ({ headers: { ...headers, "content-type": "text/plain" }, body: junk }),
    ({ headers }) => ({ headers: { ...headers, "x-api-key": "not a key" } }),
    (_, junk) => ({ body: `{"input":${JSON.stringify(junk)},"sessionId":${JSON.stringify(junk)}}` }),
    ({ body = "{}" }) => ({ body: body.slice(0, -1) }),
    ({ headers }) => ({ headers: { ...headers, "content-encoding": "gzip" } }),
    ({ headers }) => ({ headers: { ...headers, "content-type": "multipart/form-data; boundary=x" }, body: "--x\r\n" }),
  ];
  const junk = oneof(
    string(),
    webSegment(),
    anything().map(String),
    jsonValue().map((json) => JSON.stringify(json)),
  );
  return record({ made: rightRequest(spec, target), spoil: constantFrom(...breaks), junk }).map((wrong) => {
    const made = { ...wrong.made, ...wrong.spoil(wrong.made, wrong.junk) };
    return {
      ...made,
      headers: made.body === undefined ? made.headers : { "content-type": "application/json", ...made.headers },
    };
  });
}

function queryOf(spec: OpenApiSpec, { parameters = [] }: OpenApiOperation): Arbitrary<string> {
  const described = parameters.map(({ $ref }) => spec.components.parameters[$ref.split("/").at(-1) ?? ""]);
  const fields = (described as { name: string; in: string; schema: Schema }[])
    .filter((parameter) => parameter.in === "query")
    .map(({ name, schema }) => [name, valueOf(schema, spec)] as const);
  return record(Object.fromEntries(fields), { requiredKeys: [] }).map((values) => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) query.set(name, String(value));
    return query.size === 0 ? "" : `?${query.toString()}`;
  });
}

/** Values of a schema, as far as the bodies of requests are described. */
function valueOf(schema: Schema, spec: OpenApiSpec): Arbitrary<unknown> {
  const { $ref, oneOf: alternatives, enum: words, type } = schema;
  if (typeof $ref === "string") return valueOf(spec.components.schemas[$ref.split("/").at(-1) ?? ""] ?? {}, spec);
  if (Array.isArray(alternatives)) return oneof(...alternatives.map((each: Schema) => valueOf(each, spec)));
  if (Array.isArray(words)) return constantFrom(...(words as unknown[]));
  const byType: Record<string, () => Arbitrary<unknown>> = {
    string: () => textOf(schema),
    integer: () => integer({ min: Number(schema["minimum"] ?? 0), max: Number(schema["maximum"] ?? 1000) }),
    number: () => double({ noNaN: true, noDefaultInfinity: true }),
    boolean,
    array: () =>
      array(valueOf(schema["items"] as Schema, spec), { minLength: Number(schema["minItems"] ?? 0), maxLength: 4 }),
    object: () => objectOf(schema, spec),
  };
  return byType[String(type)]?.() ?? jsonValue();
}

function textOf({ pattern, minLength = 0 }: Schema): Arbitrary<string> {
  const printable = string({ minLength: Number(minLength) || 1, maxLength: 40 }).map((text) => `x${text}`.slice(0, 40));
  return typeof pattern === "string" && pattern.startsWith("^") ? stringMatching(new RegExp(pattern)) : printable;
}

function objectOf({ properties, required = [] }: Schema, spec: OpenApiSpec): Arbitrary<unknown> {
  if (properties === undefined) return dictionary(string(), jsonValue(), { maxKeys: 3 });
  const fields = Object.entries(properties as Record<string, Schema>);
  // Who asks is what the test says elsewhere.
  const sent = fields.filter(([name]) => name !== "userId").map(([name, each]) => [name, valueOf(each, spec)] as const);
  return record(Object.fromEntries(sent), { requiredKeys: required as never[] });
}
