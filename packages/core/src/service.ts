import { checkRuntime } from "./base/util/check-runtime.ts";

// A service: what is served, to whom, and within which limits.
export { createService } from "./transport/service/service.ts";
export type { ServiceRegistries } from "./transport/service/service.ts";
export type { DurableOptions, ScheduleOptions, ServiceOptions } from "./transport/service/service-options.ts";
export type { ServiceRequest } from "./transport/request/service-request.ts";
export type { BodyUserId, Principal } from "./transport/request/principal.ts";
export type { ServedWorkflow } from "./transport/request/served-registry.ts";
export type { AgentStart, TeamStart, WorkflowStart } from "./transport/service/begin-run.ts";
export type { RunHandle, RunHandleOutcome } from "./transport/runs/run-handle.ts";
export type { OnDisconnect, WaitingQuestion } from "./transport/runs/served-runs.ts";

// Servers that answer the requests to a service.
export { serve } from "./transport/server/serve.ts";
export type { ServedServer, ServeOptions } from "./transport/server/serve.ts";
export { createRouter } from "./transport/server/create-router.ts";
export type { NodeHandler, ServiceRouterOptions } from "./transport/server/create-router.ts";
export type { NodeMiddleware } from "./transport/server/run-handlers.ts";
export { createHandler } from "./transport/server/create-handler.ts";
export type { HandlerOptions, WebHandler } from "./transport/server/create-handler.ts";

// Traces and metrics of a service.
export type {
  ContinuedTelemetry,
  Measurements,
  GaugeValues,
  OngoingOperation,
  TraceContext,
  ParentTraceContexts,
} from "./base/telemetry/telemetry.ts";
export type { OperationEvent, Operations } from "./base/telemetry/operations.ts";

// Closing a service when its process ends.
export { closeOnSignals } from "./transport/server/close-on-signals.ts";
export type { CloseOptions } from "./transport/shutdown/shutdown.ts";
export type { ClosableServer } from "./transport/shutdown/watched-server.ts";

// The runtime is checked at import, because a runtime that is too old would fail in each run.
checkRuntime();
