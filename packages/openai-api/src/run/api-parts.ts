import type { Service } from "@troupe/core/transport";
import type { ApiSettings } from "../settings.ts";
import type { ServedModels } from "../models/served-models.ts";

/** The service, its models, and the protocol's options, shared by all routes. */
export type ApiParts = {
  readonly service: Service;
  readonly models: ServedModels;
  readonly settings: ApiSettings;
};
