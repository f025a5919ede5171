export { createAgentRouter } from "./create-agent-router.ts";
export type { AgentRouter, RouterOptions } from "./create-agent-router.ts";
export { http } from "./http.ts";
export type { HttpOptions } from "./settings/http-options.ts";
export { errorHandler } from "./errors/error-handler.ts";
export type { ErrorHandlerOptions } from "./errors/error-handler.ts";
export { requestLogger } from "./log/request-logger.ts";
export type { RequestLoggerOptions } from "./log/request-logger.ts";
export { generateOpenAPISpec } from "./openapi/generate-open-api-spec.ts";
export type {
  OpenApiContent,
  OpenApiOperation,
  OpenApiPath,
  OpenApiReference,
  OpenApiResponse,
  OpenApiServer,
  OpenApiSpec,
  OpenApiSchema,
} from "./openapi/open-api-spec.ts";
export type { ListEntry } from "./routes/list-routes.ts";
export type { PublicTurn } from "./sessions/public-turn.ts";
export type { DocsOptions, SecurityScheme } from "./settings/docs-options.ts";
export { buildMultiModalInput } from "./uploads/build-multi-modal-input.ts";
export type { InputBody } from "./uploads/build-multi-modal-input.ts";
export type { MulterFile, RequestFiles } from "./uploads/request-fields.ts";
export type { FileUploadOptions } from "./uploads/upload-options.ts";
export type { UploadedFile } from "./uploads/uploaded-file.ts";
export { createFileUploadMiddleware } from "./uploads/upload-reader.ts";
