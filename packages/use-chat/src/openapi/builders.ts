import { keyHeadersOf } from "@troupe/core/transport";
import type { Service } from "@troupe/core/transport";

/** A schema object of OpenAPI 3.0, or a reference to one. */
export type OpenApiSchema = { readonly [keyword: string]: unknown };

/** A reference to a component of the OpenAPI document that the paths are a part of. */
type Reference = { readonly $ref: string };

/** The OpenAPI schema of any string. */
export const stringSchema: OpenApiSchema = { type: "string" };

/** The OpenAPI schema of an object with any fields. */
export const anyObjectSchema: OpenApiSchema = { type: "object", additionalProperties: true };

/** Returns the OpenAPI schema of a string that must be one of the given words. */
export function enumSchema(...words: string[]): OpenApiSchema {
  return { type: "string", enum: words };
}

/** Returns the OpenAPI schema of an object that has all of the given fields, with any values. */
export function havingSchema(...fields: string[]): OpenApiSchema {
  return { properties: Object.fromEntries(fields.map((field) => [field, {}])), required: fields };
}

/** Returns the OpenAPI schema of an array of items with this schema. */
export function arraySchema(items: OpenApiSchema): OpenApiSchema {
  return { type: "array", items };
}

/** Returns a reference to the schema of this name. */
export function schemaRef(name: string): Reference {
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns a reference to the parameter of this name. */
export function parameterRef(name: string): Reference {
  return { $ref: `#/components/parameters/${name}` };
}

/** Returns references to the headers of an answer. A component has the name of its header without hyphens and `X-`. */
export function headerRefs(...names: string[]): Record<string, Reference> {
  const refs = names.map((name) => {
    const component = name.replace("X-", "").replaceAll("-", "");
    return [name, { $ref: `#/components/headers/${component}` }] as const;
  });
  return Object.fromEntries(refs);
}

/** The names of the error responses by status. */
const errorNames: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Gone",
  413: "PayloadTooLarge",
  415: "UnsupportedMediaType",
  422: "Refused",
  429: "RateLimited",
  499: "RunCancelled",
  500: "InternalError",
  502: "ModelFailed",
  503: "Unavailable",
  504: "TimedOut",
};

/** Returns references to the error responses of these statuses, and to the default response for all others. */
export function errorRefs(...statuses: number[]): Record<string, Reference> {
  const toRef = (name: string): Reference => ({ $ref: `#/components/responses/${name}` });
  const refs = statuses.map((status) => [String(status), toRef(errorNames[status] ?? "OtherError")] as const);
  return { ...Object.fromEntries(refs), default: toRef("OtherError") };
}

/** Returns the OpenAPI `security` of an operation that runs a model: no key, or any of the key headers. */
export function keySecurity(service: Service): Record<string, string[]>[] {
  return [{}, ...keyHeadersOf(service).map(({ vendor = "any" }) => ({ [`${vendor}Key`]: [] }))];
}

/** Makes unique operation ids that client generators accept as names. */
export class OperationIds {
  readonly #given = new Set<string>();

  next(verb: string, name: string): string {
    const id = `${verb}_${name.replaceAll(/[^A-Za-z0-9_]/g, "_")}`;
    let free = id;
    for (let count = 2; this.#given.has(free); count++) free = `${id}_${count}`;
    this.#given.add(free);
    return free;
  }
}
