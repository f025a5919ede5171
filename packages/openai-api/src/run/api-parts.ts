import type { Service } from "@troupe/core/transport";
import type { ApiSettings } from "../settings.ts";
import type { ServedModels } from "../models/served-models.ts";

/** What the routes of the protocol share: the service, its models, and the protocol's own options. */
export type ApiParts = {
  readonly service: Service;
  readonly models: ServedModels;
  readonly settings: ApiSettings;
};
