// Made by the bundler: every module of the folder, each of which registers what it has.
declare module "all:draw";
declare module "all:kinds";
