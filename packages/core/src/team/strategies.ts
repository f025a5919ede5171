import { broadcast } from "./broadcast.ts";
import { collaborate } from "./collaborate.ts";
import { coordinate } from "./coordinate.ts";
import { route } from "./route.ts";
import type { TeamMode } from "./team-config.ts";
import type { TeamStrategy } from "./team-plan.ts";

/** What a team does in each mode. */
export const strategies: Readonly<Record<TeamMode, TeamStrategy>> = { coordinate, route, broadcast, collaborate };
