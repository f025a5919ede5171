import type { Exchange } from "@troupe/core/transport";
import type { Fields } from "../request/fields.ts";
import { largestBody } from "../settings.ts";
import { apiError } from "../wire/api-error.ts";
import type { ApiParts } from "./api-parts.ts";

/** Reads the body of a request, which must be a JSON object. Throws `invalid_request` otherwise. */
export async function readBody(exchange: Exchange, { service, settings }: ApiParts): Promise<Fields> {
  const maxBytes = largestBody(settings, service.settings.maxBodyBytes);
  const body = await exchange.readJsonObject({ maxBytes });
  if (body !== undefined) return body;
  throw apiError("invalid_request", "The body must be a JSON object with a model and its input.");
}
