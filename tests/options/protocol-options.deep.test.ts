import { checkLeftOut } from "./check-left-out.ts";
import { protocolSubjects } from "./service-subjects.ts";

checkLeftOut(protocolSubjects);
