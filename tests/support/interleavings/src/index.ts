export { checkInterleavings } from "./check-interleavings.ts";
export type { InterleavingOptions, Scene } from "./check-interleavings.ts";
export type { HeldCalls } from "./held-calls.ts";
export { letRun } from "./let-run.ts";
export { replaceSleep } from "./replace-sleep.ts";
export type { Sleep } from "./replace-sleep.ts";
export { watchErrorStream } from "./watch-error-stream.ts";
export type { WatchedErrors } from "./watch-error-stream.ts";
