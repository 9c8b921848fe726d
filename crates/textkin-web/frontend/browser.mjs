// The installed Chromium, without background requests to other hosts.
import { chromium } from "playwright-core";

export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
