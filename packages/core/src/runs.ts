import { checkRuntime } from "./base/util/check-runtime.ts";

// Durable runs.
export { RunService } from "./runs/durable/run-service.ts";
export type {
  AdmissionOptions,
  DurableWorkflow,
  RetentionOptions,
  RunServiceOptions,
  RunServeOptions,
} from "./runs/attempts/run-service-options.ts";
export type { RunSchedule, RunSchedules, ScheduledRequest } from "./runs/durable/run-schedules.ts";
export type {
  HeldSubscription,
  RunSubscription,
  RunSubscriptions,
  RunSubscriptionRequest,
} from "./runs/durable/run-subscriptions.ts";
export type { SubscriptionPlace } from "./runs/run-store/subscription-record.ts";
export { LocalEngine } from "./runs/attempts/local-engine.ts";
export type {
  EngineServeOptions,
  HandedBack,
  Perform,
  RunEngine,
  RunJob,
  Schedule,
  ScheduleTimes,
  Schedules,
  Serving,
} from "./runs/attempts/run-engine.ts";
export type {
  AcceptedRun,
  DurableRunOptions,
  RunCaller,
  RunEvent,
  RunKeys,
  RunKind,
  RunListOptions,
  RunPage,
  RunRequest,
  RunStatus,
  RunView,
  UpgradeFinding,
} from "./runs/run-store/run-view.ts";

export { runStatuses } from "./runs/run-store/run-view.ts";

// The runtime is checked at import, because a runtime that is too old would fail in each run.
checkRuntime();
