import type { OpenApiReference } from "./open-api-spec.ts";

/** A reference to a schema of the document. */
export function schemaRef(name: string): OpenApiReference {
  return { $ref: `#/components/schemas/${name}` };
}

/** A reference to any other part of the document. */
export function componentRef(kind: "headers" | "parameters" | "responses", name: string): OpenApiReference {
  return { $ref: `#/components/${kind}/${name}` };
}
