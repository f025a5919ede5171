import { checkLeftOut } from "./check-left-out.ts";
import { pageSubjects } from "./page-subjects.ts";

checkLeftOut(pageSubjects);
