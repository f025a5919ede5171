import { createService } from "@troupe/core/service";
import { createHelper } from "./helper.ts";

/** The service behind app/api. */
export const service = createService({ agents: { helper: createHelper() } });
