// Made by the bundler: imports every file of `views/`.
declare module "all-views";
