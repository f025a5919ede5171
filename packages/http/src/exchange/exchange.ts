import type { Logger } from "@troupe/core";
import type { Request, Response } from "express";

/**
 * One HTTP request in progress, as route handlers get it: with its response, its id and the logger for its failures.
 */
export type Exchange = {
  readonly request: Request;
  readonly response: Response;
  readonly requestId: string;
  readonly logger: Logger;
};
