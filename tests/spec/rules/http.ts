import { rulesOf } from "../rule.ts";

/** The HTTP gateway. */
export const httpRules = rulesOf("@troupe/http", {
  "http.router": {
    text: "createAgentRouter(options) builds the router",
    test: "packages/http/src/create-agent-router.test.ts",
  },
  "http.registries": {
    text: "agents, teams and workflows are served by their registered names",
    test: "packages/http/src/create-agent-router.test.ts",
  },
  "http.middleware": {
    text: "the given middleware runs on all routes",
    test: "packages/http/src/create-agent-router.test.ts",
  },
  "http.agent-run": {
    text: "POST /agents/:name/run answers with the output",
    test: "packages/http/src/answer/answer-run.test.ts",
  },
  "http.agent-stream": {
    text: "POST /agents/:name/stream answers with server-sent events",
    test: "packages/http/src/answer/answer-stream.test.ts",
  },
  "http.team-run": {
    text: "POST /teams/:name/run answers with the output",
    test: "packages/http/src/create-agent-router.test.ts",
  },
  "http.team-stream": {
    text: "POST /teams/:name/stream answers with server-sent events",
    test: "packages/http/src/create-agent-router.test.ts",
  },
  "http.workflow-run": {
    text: "POST /workflows/:name/run answers with the workflow's result",
    test: "packages/http/src/answer/answer-run.test.ts",
  },
  "http.output-shape": {
    text: "a run's answer has text, toolCalls, usage, structured and durationMs",
    test: "packages/http/src/answer/answer-run.test.ts",
  },
  "http.body-input": {
    text: "input is required: text or a list of parts",
    test: "packages/http/src/create-agent-router.test.ts",
  },
  "http.body-session": {
    text: "sessionId may name the session",
    test: "packages/http/src/create-agent-router.test.ts",
  },
  "http.body-user": { text: "userId may name the user", test: "packages/http/src/principal.test.ts" },
  "http.body-api-key": { text: "apiKey may carry a vendor key", test: "packages/http/src/keys.test.ts" },
  "http.sse-frames": {
    text: "each chunk is one event, a data line of JSON",
    test: "packages/http/src/answer/answer-stream.test.ts",
  },
  "http.sse-finish": {
    text: "a stream that ends well carries a finish chunk with its reason",
    test: "packages/http/src/answer/answer-stream.test.ts",
  },
  "http.key-headers": { text: "the four key headers carry vendor keys", test: "packages/http/src/keys.test.ts" },
  "http.error-handler": {
    text: "errorHandler turns errors into responses when mounted behind the router",
    test: "packages/http/src/errors/errors.test.ts",
  },
  "http.request-logger": { text: "requestLogger logs requests", test: "packages/http/src/request-logger.test.ts" },
  "http.redacted-logs": {
    text: "the four key headers are redacted in request logs",
    test: "packages/http/src/request-logger.test.ts",
  },
  "http.upload-switch": {
    text: "fileUpload enables multipart, as a boolean or with options",
    test: "packages/http/src/uploads/uploads.test.ts",
  },
  "http.upload-fields": {
    text: "the form fields input and files supply the input",
    test: "packages/http/src/uploads/uploads.test.ts",
  },
  "http.upload-max-size": {
    text: "a file may have 52428800 bytes by default",
    test: "packages/http/src/uploads/uploads.test.ts",
  },
  "http.upload-max-files": {
    text: "an upload may have 10 files by default",
    test: "packages/http/src/uploads/uploads.test.ts",
  },
  "http.upload-mime-types": {
    text: "allowedMimeTypes bounds the types, any by default",
    test: "packages/http/src/uploads/uploads.test.ts",
  },
  "http.upload-middleware": {
    text: "createFileUploadMiddleware(options?) builds the upload handler",
    test: "packages/http/src/uploads/middleware.test.ts",
  },
  "http.multi-modal-input": {
    text: "buildMultiModalInput gives text alone as a string, and text with files as parts",
    test: "packages/http/src/uploads/middleware.test.ts",
  },
  "http.docs-switch": { text: "the docs are served when enabled", test: "packages/http/src/docs/docs.test.ts" },
  "http.docs-title": {
    text: "the docs are titled Service API by default",
    test: "packages/http/src/openapi/generate-open-api-spec.test.ts",
  },
  "http.docs-description": {
    text: "the docs may have a description",
    test: "packages/http/src/openapi/generate-open-api-spec.test.ts",
  },
  "http.docs-version": {
    text: "info.version is 1.0.0 by default, else the docs' version option",
    test: "packages/http/src/openapi/generate-open-api-spec.test.ts",
  },
  "http.docs-route-prefix": {
    text: "routePrefix stands before the paths",
    test: "packages/http/src/openapi/generate-open-api-spec.test.ts",
  },
  "http.docs-servers": { text: "servers may be listed", test: "packages/http/src/docs/docs.test.ts" },
  "http.docs-path": { text: "the docs are at /docs by default", test: "packages/http/src/docs/docs.test.ts" },
  "http.docs-spec-path": {
    text: "the spec is at /docs/spec.json by default",
    test: "packages/http/src/docs/docs.test.ts",
  },
  "http.docs-keys": {
    text: "a key entered in the docs is sent with each request",
    test: "packages/http/src/docs/docs-page.integration.test.ts",
  },
  "http.openapi-version": {
    text: "the spec is OpenAPI 3.0.3",
    test: "packages/http/src/openapi/generate-open-api-spec.test.ts",
  },
  "http.openapi-generated": {
    text: "the spec has paths and schemas of what is registered",
    test: "packages/http/src/openapi/generate-open-api-spec.test.ts",
  },
  "http.openapi-security": {
    text: "the spec declares the four key headers",
    test: "packages/http/src/openapi/generate-open-api-spec.test.ts",
  },
  "http.openapi-code": {
    text: "generateOpenAPISpec(options, docs?) returns the same spec",
    test: "packages/http/src/docs/docs.test.ts",
  },
});
