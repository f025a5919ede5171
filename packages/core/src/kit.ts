import { checkRuntime } from "./base/util/check-runtime.ts";

// Options of a constructor or a function: tables and checks.
export { readOptions, wrongOption } from "./base/errors/read-options.ts";
export type { OptionCheck, OptionsOf, OptionTable } from "./base/errors/read-options.ts";
export {
  booleanOption,
  stringOption,
  arrayOf,
  functionOption,
  integerOption,
  methodsOption,
  millisecondsOption,
  nested,
  nonBlankString,
  oneOf,
  optional,
  customOption,
  timeoutOption,
} from "./base/errors/option-checks.ts";
export { baseUrlOption } from "./provider/provider-options.ts";
export { networkOptionTable } from "./provider/network.ts";
export type { CallHeaders } from "./provider/network.ts";

// Errors.
export { abortedError } from "./base/errors/aborted-error.ts";
export { findErrorCode } from "./base/errors/find-error-code.ts";
export { readRetryAfter } from "./base/errors/read-retry-after.ts";
export { toTroupeError } from "./base/errors/to-troupe-error.ts";

// API keys and the environment.
export { readEnvironment } from "./model/keys/read-environment.ts";
export type { ApiKeySource } from "./model/keys/resolve-key.ts";

// Replies of vendors and services.
export { readContentData } from "./base/message/content-data.ts";
export { sumCounts, readObject, readObjects, readText } from "./provider/vendor-json.ts";
export { parseArguments } from "./schema/parse-model-json.ts";
export type { HttpReply, ReplyHeaders } from "./provider/wire/http-reply.ts";
export { Network } from "./provider/network.ts";
export { mergeHeaders } from "./provider/wire/post-json.ts";
export { streamEvents } from "./provider/wire/stream-events.ts";

// Closing.
export { closeInOrder, closeTogether } from "./base/async/close-in-order.ts";

// Helpers.
export { createId } from "./base/util/create-id.ts";
export { cutText } from "./base/util/cut-text.ts";
export { elapsedMs } from "./base/util/elapsed-ms.ts";
export { getOwn } from "./base/util/get-own.ts";
export { mapBounded } from "./base/async/map-bounded.ts";
export { sleep } from "./base/async/sleep.ts";
export { startDeadline } from "./base/async/start-deadline.ts";
export { untilAborted } from "./base/async/until-aborted.ts";
export { withTimeout } from "./base/async/with-timeout.ts";
export { loggerOption } from "./base/log/logger.ts";
export { createRedactor, isSecretName } from "./base/log/redact.ts";
export type { Redactor } from "./base/log/redact.ts";
export { createMasker } from "./base/util/create-masker.ts";
export { sizeInBytes } from "./base/util/size-in-bytes.ts";

// The runtime is checked at import, because a runtime that is too old would fail in each run.
checkRuntime();
