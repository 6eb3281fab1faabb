import { DrydockError } from "@drydock/evidence";
import { type Command, Option } from "commander";
import { collect, json, type SetExit } from "./options.js";

/** `drydock image …`: what a machine boots. */
export const addImageVerbs = (program: Command, setExit: SetExit): void => {
  const image = program
    .command("image")
    .description("build, import, list and remove images")
    .addHelpText(
      "after",
      "\nExamples:\n  drydock image build\n  drydock image build debian --package ripgrep",
    );
  image
    .command("build")
    .description("build an image from Debian packages; their scripts are never run")
    .addOption(new Option("--name <name>", "name of the image (default: the recipe's)"))
    .argument("[recipe]", "base or debian", "base")
    .option("--package <name>", "another Debian package; repeatable", collect)
    .option("--modules <set>", "kernel modules for: containers, lab; repeatable", collect)
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock image build debian --package ripgrep")
    .action(async (recipe: string, flags: object) => {
      const { imageBuild } = await import("../commands/image.js");
      setExit(await imageBuild(readRecipe(recipe), flags));
    });
  image
    .command("import")
    .description("take an OCI image layout or a `docker save` archive as root file system")
    .argument("<path>", "directory or tar archive")
    .requiredOption("--name <name>", "name of the image")
    .option("--reference <name>", "which image, when the archive holds several")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock image import ./alpine.tar --name alpine")
    .action(async (path: string, flags: { name: string; reference?: string }) => {
      const { imageImport } = await import("../commands/image.js");
      setExit(await imageImport(path, flags));
    });
  image
    .command("list")
    .description("list images")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock image list")
    .action(async (flags: object) => {
      const { imageList } = await import("../commands/image.js");
      setExit(imageList(flags));
    });
  image
    .command("inspect")
    .description("print an image's manifest")
    .argument("<name>", "name or digest")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock image inspect base")
    .action(async (name: string, flags: object) => {
      const { imageInspect } = await import("../commands/image.js");
      setExit(imageInspect(name, flags));
    });
  image
    .command("prune")
    .description("remove what no image needs, and snapshots, which are made again")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock image prune")
    .action(async (flags: object) => {
      const { imagePrune } = await import("../commands/image.js");
      setExit(await imagePrune(flags));
    });
};

const readRecipe = (text: string): "base" | "debian" => {
  if (text === "base" || text === "debian") return text;
  throw new DrydockError("RECIPE_UNKNOWN", `there is no recipe "${text}"`, {
    fix: "Use base or debian.",
  });
};
