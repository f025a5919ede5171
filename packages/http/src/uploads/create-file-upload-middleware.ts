import type { RequestHandler } from "express";
import { isForm } from "./open-parser.ts";
import { readForm } from "./read-form.ts";
import { readUploadOptions } from "./upload-options.ts";
import type { FileUploadOptions } from "./upload-options.ts";

/**
 * Makes a middleware for routes of the host's own: of a form (`multipart/form-data`), the texts are at `request.body` and
 * what the field `files` holds at `request.files`, until the request has been answered. Any other body is passed by.
 */
export function createFileUploadMiddleware(options: FileUploadOptions = {}): RequestHandler {
  const rules = readUploadOptions(options, "createFileUploadMiddleware");
  return async (request, response, next) => {
    if (!isForm(request)) return next();
    const form = await readForm(request, rules);
    const { fields, files } = form;
    if (response.closed) return await form.discard();
    response.once("close", () => void form.discard());
    Object.assign(request, { body: fields, files });
    next();
  };
}
