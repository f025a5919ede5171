import type { Service } from "@troupe/core/transport";
import type { ApiSettings } from "../settings.ts";

/** Describes the paths of the API for the OpenAPI document of the service. */
export function apiPaths(_service: Service, _settings: ApiSettings): Record<string, object> {
  return {};
}
