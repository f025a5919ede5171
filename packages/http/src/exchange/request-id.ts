import { createId } from "@troupe/core/adapter";
import type { Request, Response } from "express";

const header = "X-Request-Id";
const clientForm = /^[\w.:-]{1,128}$/;

/** Returns the id that the host set on the response, else the client's if it has the right form, else a new one. */
export function requestIdOf(request: Request, response: Response): string {
  const given = response.getHeader(header);
  if (typeof given === "string") return given;
  const sent = request.headers["x-request-id"];
  const id = typeof sent === "string" && clientForm.test(sent) ? sent : createId();
  if (!response.headersSent) response.setHeader(header, id);
  return id;
}
