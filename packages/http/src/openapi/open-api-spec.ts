/** A schema, or a reference to one, as OpenAPI 3.0 writes them. */
export type Schema = { readonly [keyword: string]: unknown };

/** Where the service can be reached. */
export type OpenApiServer = { url: string; description?: string };

/** What stands behind a media type. */
export type OpenApiContent = { readonly [mediaType: string]: { schema: Schema; example?: unknown } };

/** A reference to a part of the document. */
export type OpenApiReference = { $ref: string };

/** An answer that may come. */
export type OpenApiResponse = {
  description: string;
  headers?: Record<string, OpenApiReference>;
  content?: OpenApiContent;
};

/** What can be done at a path with one method. */
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

/** A path, by methods in small letters. */
export type OpenApiPath = { get?: OpenApiOperation; post?: OpenApiOperation; delete?: OpenApiOperation };

/** A description of the service in the words of OpenAPI 3.0.3. */
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
