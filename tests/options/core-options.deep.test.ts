import { checkLeftOut } from "./check-left-out.ts";
import { coreSubjects } from "./core-subjects.ts";

checkLeftOut(coreSubjects);
