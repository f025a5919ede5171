export { ApiError, mayPass, toApiError } from "./api-error.ts";
export { createClient } from "./client.ts";
export type {
  Client,
  ClientOptions,
  ClientRunOptions,
  RemoteRunnable,
  RemoteRuns,
  RemoteSchedules,
  RemoteSessions,
  WaitingRun,
} from "./client.ts";
export { readEvents } from "./event-reader.ts";
export { followRun } from "./follow-run.ts";
export type { FollowOptions, RunUpdate } from "./follow-run.ts";
export { ClientStream } from "./run-stream.ts";
export type { ClientEvent, RunIds } from "./run-stream.ts";
export type { AnyService } from "./served.ts";
export { ServiceApi } from "./service-api.ts";
export type { PageOptions, RequestHeaders } from "./service-api.ts";
export { isOpenStatus } from "./wire.ts";
export type {
  AnswerEvent,
  Artifact,
  ContentPart,
  Failure,
  FinishEvent,
  MessageContent,
  NewSchedule,
  PublicRun,
  RunEvent,
  RunInfo,
  RunnableInfo,
  RunnableKind,
  RunOutput,
  RunStatus,
  ScheduleChange,
  ScheduleInfo,
  ScheduleRules,
  SessionInfo,
  Source,
  StepStatus,
  StoredContent,
  StoredPart,
  StoredTurn,
  TextEvent,
  ToolCallOutcome,
  Usage,
  Wait,
  WorkflowOutput,
} from "./wire.ts";
