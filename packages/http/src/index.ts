export { createAgentRouter } from "./create-agent-router.ts";
export type { DocsOptions } from "./docs/docs-options.ts";
export { errorHandler } from "./error-handler.ts";
export type { ErrorHandlerOptions } from "./error-handler.ts";
export { generateOpenAPISpec } from "./openapi/generate-open-api-spec.ts";
export type {
  OpenApiContent,
  OpenApiOperation,
  OpenApiPath,
  OpenApiReference,
  OpenApiResponse,
  OpenApiServer,
  OpenApiSpec,
  Schema as OpenApiSchema,
} from "./openapi/open-api-spec.ts";
export type { Principal } from "./principal.ts";
export { requestLogger } from "./request-logger.ts";
export type { RequestLoggerOptions } from "./request-logger.ts";
export type { OnDisconnect, RouterOptions } from "./router-options.ts";
export type { Listed } from "./routes/list-routes.ts";
export type { ServedWorkflow } from "./served-workflow.ts";
export type { PublicTurn } from "./sessions/to-public-turn.ts";
export { createShutdown } from "./shutdown/create-shutdown.ts";
export type { Shutdown, ShutdownOptions } from "./shutdown/create-shutdown.ts";
export { buildMultiModalInput } from "./uploads/build-multi-modal-input.ts";
export { createFileUploadMiddleware } from "./uploads/create-file-upload-middleware.ts";
export type { FileUploadOptions } from "./uploads/upload-options.ts";
export type { UploadedFile } from "./uploads/uploaded-file.ts";
