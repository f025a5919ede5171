import type { Logger } from "@troupe/core";
import type { Request, Response } from "express";

/** A request, its response and the names under which its failures are logged. */
export type Exchange = {
  readonly request: Request;
  readonly response: Response;
  readonly requestId: string;
  readonly logger: Logger;
};
