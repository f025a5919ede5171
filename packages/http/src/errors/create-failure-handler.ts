import type { Logger } from "@troupe/core";
import type { ErrorRequestHandler } from "express";
import { requestIdOf } from "../request/request-id.ts";
import { sendFailure } from "./send-failure.ts";

/** Makes the handler of errors of a router or a host: whatever comes is answered with the one error body. */
export function createFailureHandler(logger: Logger): ErrorRequestHandler {
  // Express knows a handler of errors by its four parameters.
  // oxlint-disable-next-line max-params -- see above
  return (error: unknown, request, response, _next) => {
    sendFailure(error, response, { logger, request, requestId: requestIdOf(request, response) });
  };
}
