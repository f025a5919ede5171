import {
  anything,
  constant,
  constantFrom,
  jsonValue,
  oneof,
  record,
  string,
  stringify,
  stringMatching,
  webSegment,
} from "fast-check";
import type { Arbitrary } from "fast-check";
import type { OpenApiOperation, OpenApiSpec, OpenApiSchema } from "../../src/openapi/open-api-spec.ts";
import { rightForm, wrongForm } from "./described-forms.ts";
import { valueOf } from "./described-values.ts";
import { encodeForm, formContentType } from "../forms.ts";
import type { FormPart } from "../forms.ts";

/** A request generated from a description. */
export type Made = {
  /** The operation that it is for. */
  target: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  /** A form is encoded when the request is sent. */
  body?: string | Buffer | readonly FormPart[];
  /** True if it matches the description. */
  isRight: boolean;
  /** The status that must refuse it, where it is certain. */
  refusal?: number;
};

/** An operation with one of the content types of its body. */
export type Target = {
  name: string;
  method: string;
  path: string;
  operation: OpenApiOperation;
  body?: { type: string; schema: OpenApiSchema };
};

/** Lists all operations of a description, once per content type. */
export function targetsOf(spec: OpenApiSpec): Target[] {
  return Object.entries(spec.paths).flatMap(([path, item]) => {
    return Object.entries(item).flatMap(([word, operation]) => {
      const method = word.toUpperCase();
      const target = { name: `${method} ${path}`, method, path, operation };
      const bodies = Object.entries(operation.requestBody?.content ?? {});
      if (bodies.length === 0) return [target];
      return bodies.map(([type, { schema }]) => ({
        ...target,
        name: type === "application/json" ? target.name : `${target.name}, a form`,
        body: { type, schema },
      }));
    });
  });
}

/** Returns the bytes of a request's body. */
export function bytesOf({ body }: Made): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return typeof body === "string" ? Buffer.from(body) : encodeForm(...body);
}

/** Returns true if the body of a target is a form. */
export function takesForm({ body }: Target): boolean {
  return body?.type === "multipart/form-data";
}

/** Requests that match the description. */
export function rightRequest(spec: OpenApiSpec, target: Target): Arbitrary<Made> {
  const { name, method, path, operation } = target;
  return record({
    place: placeOf(spec, operation),
    query: queryOf(spec, operation),
    body: bodyOf(spec, target),
    user: constantFrom(undefined, "ada", "bob"),
  }).map(({ place, query, body, user }) => ({
    target: name,
    method,
    path: path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => String(place[parameter])) + query,
    headers: {
      ...(user !== undefined && { "x-test-user": user }),
      ...(body !== undefined && { "content-type": takesForm(target) ? formContentType : "application/json" }),
    },
    ...(body !== undefined && { body }),
    isRight: true,
  }));
}

function bodyOf(spec: OpenApiSpec, target: Target): Arbitrary<Made["body"]> {
  const { body } = target;
  if (body === undefined) return constant(undefined);
  if (takesForm(target)) return rightForm(body.schema, spec);
  return valueOf(body.schema, spec).map((value) => JSON.stringify(value));
}

/** Requests that differ from the description in one point. */
export function wrongRequest(spec: OpenApiSpec, target: Target): Arbitrary<Made> {
  const spoilt = spoiltRequest(spec, target);
  if (target.body === undefined || !takesForm(target)) return spoilt;
  const form = record({ made: rightRequest(spec, target), wrong: wrongForm(target.body.schema, spec) });
  return oneof(
    { weight: 1, arbitrary: spoilt },
    {
      weight: 3,
      arbitrary: form.map(({ made, wrong: { contentType, ...more } }) => ({
        ...made,
        ...more,
        headers: { ...made.headers, "content-type": contentType },
        isRight: false,
      })),
    },
  );
}

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

/** Strings of any form, made once: to make `webSegment` takes as long as a hundred requests. */
const junk = oneof(
  string(),
  webSegment(),
  anything().map(stringify),
  jsonValue().map((json) => JSON.stringify(json)),
);

/** Errors that any request can have. */
function spoiltRequest(spec: OpenApiSpec, target: Target): Arbitrary<Made> {
  return record({ made: rightRequest(spec, target), spoil: constantFrom(...breaks), junk }).map((wrong) => {
    const made = { ...wrong.made, ...wrong.spoil(wrong.made, wrong.junk), isRight: false };
    return {
      ...made,
      headers: made.body === undefined ? made.headers : { "content-type": "application/json", ...made.headers },
    };
  });
}

type Parameter = { name: string; in: string; required?: boolean; schema: OpenApiSchema };

function parametersOf(spec: OpenApiSpec, { parameters = [] }: OpenApiOperation, place: "path" | "query"): Parameter[] {
  const described = parameters.map(({ $ref }) => spec.components.parameters[$ref.split("/").at(-1) ?? ""]);
  return (described as Parameter[]).filter((parameter) => parameter.in === place);
}

/** Values for the parameters in the path of an operation. Any id is a right one of a run. */
function placeOf(spec: OpenApiSpec, operation: OpenApiOperation): Arbitrary<Record<string, unknown>> {
  const fields = parametersOf(spec, operation, "path").map(({ name, schema }) => {
    const isFree = schema["type"] === "string" && schema["pattern"] === undefined;
    return [name, isFree ? stringMatching(/^[\w:@-]{1,20}$/) : valueOf(schema, spec)] as const;
  });
  return record(Object.fromEntries(fields));
}

function queryOf(spec: OpenApiSpec, operation: OpenApiOperation): Arbitrary<string> {
  const inQuery = parametersOf(spec, operation, "query");
  const fields = inQuery.map(({ name, schema }) => [name, valueOf(schema, spec)] as const);
  const requiredKeys = inQuery.flatMap(({ name, required }) => (required === true ? [name] : []));
  return record(Object.fromEntries(fields), { requiredKeys: requiredKeys as never[] }).map((values) => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) query.set(name, String(value));
    return query.size === 0 ? "" : `?${query.toString()}`;
  });
}
