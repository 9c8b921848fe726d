// Chromium as it is installed on the machine, without anything that would call elsewhere.
import { chromium } from "playwright-core";

export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
