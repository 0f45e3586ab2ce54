// Prints the path of a Chromium that needs no root: the tests drive it.
import { stdout } from "node:process";
import chromium from "@sparticuz/chromium";

stdout.write(await chromium.executablePath());
