# For packages of one library each, which comlinkd loads when it is wanted; to be sourced, with $root set.
out=$root/.build/package
changelog=$root/packaging/debian/changelog

# begin_library PACKAGE TREE: an empty package; then $folder is where its library goes, and $papers where its licence.
begin_library() {
  package=$1
  tree=$2
  folder=$tree/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/comlink
  papers=$tree/usr/share/doc/$package
  rm -rf "$tree" "$out/$package"_*.deb
  mkdir -p "$folder" "$papers" "$tree/DEBIAN" "$out"
}

# pack_library DEPENDS HOMEPAGE: makes the package; its description is on the input.
pack_library() {
  local description
  description=$(cat)
  gzip -9n <"$changelog" >"$papers/changelog.gz"
  chmod -R u=rwX,go=rX "$tree"
  chmod 644 "$folder"/*
  cat >"$tree/DEBIAN/control" <<TEXT
Package: $package
Version: $(dpkg-parsechangelog -l "$changelog" -S Version)
Architecture: $(dpkg-architecture -qDEB_HOST_ARCH)
Maintainer: $(sed -n 's/^Maintainer: //p' "$root/packaging/debian/control")
Section: sound
Priority: optional
Depends: $1
Enhances: comlink
Homepage: $2
Description: $description
TEXT
  dpkg-deb --root-owner-group --build "$tree" "$out" >/dev/null
  ls -sh "$out/$package"_*.deb
}
