/** A schema object of OpenAPI 3.0, or a reference to one. */
export type OpenApiSchema = { readonly [keyword: string]: unknown };

/** An entry of `servers` in an OpenAPI document: a URL of the service. */
export type OpenApiServer = { url: string; description?: string };

/** The content of a request or response in an OpenAPI document: a schema for each media type. */
export type OpenApiContent = { readonly [mediaType: string]: { schema: OpenApiSchema; example?: unknown } };

/** A reference (`$ref`) to a component of the same OpenAPI document. */
export type OpenApiReference = { $ref: string };

/** A response in an OpenAPI document: its meaning, headers and content. */
export type OpenApiResponse = {
  description: string;
  headers?: Record<string, OpenApiReference>;
  content?: OpenApiContent;
};

/** An operation in an OpenAPI document: one HTTP method of a path, with its parameters, body and responses. */
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

/** The operations of one path in an OpenAPI document, by HTTP method in lower case. */
export type OpenApiPath = {
  get?: OpenApiOperation;
  post?: OpenApiOperation;
  patch?: OpenApiOperation;
  delete?: OpenApiOperation;
};

/**
 * The OpenAPI 3.0.3 document of a service, as `generateOpenAPISpec` returns it and a router serves it at `specPath`.
 */
export type OpenApiSpec = {
  openapi: "3.0.3";
  info: {
    title: string;
    version: string;
    description?: string;
    contact?: { name: string; url?: string; email?: string };
    license?: { name: string; url?: string };
  };
  servers?: OpenApiServer[];
  tags: { name: string; description: string }[];
  paths: Record<string, OpenApiPath>;
  components: {
    schemas: Record<string, OpenApiSchema>;
    parameters: Record<string, object>;
    headers: Record<string, object>;
    responses: Record<string, OpenApiResponse>;
    securitySchemes: Record<string, object>;
  };
};

/** Returns a reference to the schema of this name in `components.schemas` of the OpenAPI document. */
export function schemaRef(name: string): OpenApiReference {
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns a reference to the header, parameter or response of this name in `components` of the OpenAPI document. */
export function componentRef(kind: "headers" | "parameters" | "responses", name: string): OpenApiReference {
  return { $ref: `#/components/${kind}/${name}` };
}
