import { checkRuntime } from "./base/util/check-runtime.ts";

// Durable runs.
export { RunService } from "./runs/service/run-service.ts";
export type {
  AdmissionOptions,
  DurableWorkflow,
  RetentionOptions,
  RunServiceOptions,
  RunServeOptions,
} from "./runs/processes/run-service-options.ts";
export type { RunSchedules } from "./runs/service/run-schedules.ts";
export type { ScheduleChanges } from "./runs/service/read-schedule.ts";
export type {
  NewRunSchedule,
  RunSchedule,
  ScheduledRequest,
  ScheduleEvent,
  ScheduleView,
} from "./runs/schedules/schedule-record.ts";
export { LocalEngine } from "./runs/processes/local-engine.ts";
export type {
  EngineServeOptions,
  PostponedJob,
  Perform,
  RunEngine,
  RunJob,
  Serving,
} from "./runs/processes/run-engine.ts";
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
} from "./runs/record/run-view.ts";

// Webhooks.
export type { RunWebhooks } from "./runs/webhooks/run-webhooks.ts";
export type { DisabledWebhook, RunWebhook, WebhookOptions, WebhookTarget } from "./runs/webhooks/webhook-options.ts";
export type { SubscribedEvent, NotificationFormat } from "./runs/webhooks/notification-format.ts";
export type { RunSubscriptionRequest, Subscriptions } from "./runs/webhooks/subscriptions.ts";
export type { WebhookDelivery } from "./runs/webhooks/delivery-record.ts";
export type { WebhookEvent } from "./runs/record/run-notice.ts";

export type { SignalOptions } from "./runs/record/signals.ts";

export { runStatuses } from "./runs/record/run-view.ts";

// The runtime is checked at import, because a runtime that is too old would fail in each run.
checkRuntime();
