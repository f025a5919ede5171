/** A schema of OpenAPI 3.0, or a reference to one. */
export type Schema = { readonly [keyword: string]: unknown };

/** A URL that the service can be reached at. */
export type OpenApiServer = { url: string; description?: string };

/** The content of a request or response, by media type. */
export type OpenApiContent = { readonly [mediaType: string]: { schema: Schema; example?: unknown } };

/** A reference to a part of the document. */
export type OpenApiReference = { $ref: string };

/** A response that an operation may have. */
export type OpenApiResponse = {
  description: string;
  headers?: Record<string, OpenApiReference>;
  content?: OpenApiContent;
};

/** One method of a path. */
export type OpenApiOperation = {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: OpenApiReference[];
  requestBody?: { required: boolean; content: OpenApiContent };
  security?: Record<string, string[]>[];
  responses: Record<string, OpenApiResponse | OpenApiReference>;
};

/** The operations of a path, by method in lower case. */
export type OpenApiPath = { get?: OpenApiOperation; post?: OpenApiOperation; delete?: OpenApiOperation };

/** A description of the service in OpenAPI 3.0.3. */
export type OpenApiSpec = {
  openapi: "3.0.3";
  info: { title: string; version: string; description: string };
  servers?: OpenApiServer[];
  tags: { name: string; description: string }[];
  paths: Record<string, OpenApiPath>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, object>;
    headers: Record<string, object>;
    responses: Record<string, OpenApiResponse>;
    securitySchemes: Record<string, object>;
  };
};

/** Returns a reference to a schema of the document. */
export function schemaRef(name: string): OpenApiReference {
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns a reference to any other component of the document. */
export function componentRef(kind: "headers" | "parameters" | "responses", name: string): OpenApiReference {
  return { $ref: `#/components/${kind}/${name}` };
}
