// The program `skein-view`: what `skein view` runs.
#include "view/gtk/application.h"

int main(int argc, char** argv) { return skein::desktop::run(argc, argv); }
