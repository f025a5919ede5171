import { callingSubjects } from "./calling-subjects.ts";
import { checkLeftOut } from "./check-left-out.ts";

checkLeftOut(callingSubjects);
